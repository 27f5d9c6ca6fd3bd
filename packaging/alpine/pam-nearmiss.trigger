#!/bin/sh
/usr/libexec/nearmiss/update > /dev/null
exit 0
