#!/bin/sh
filterctl update > /dev/null
exit 0
