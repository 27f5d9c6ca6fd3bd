#!/bin/sh
/usr/libexec/nearmiss/update --quiet
exit 0
