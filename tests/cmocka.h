/* CMocka with the headers it needs before it. */
#ifndef RIGOR_TESTS_CMOCKA_H
#define RIGOR_TESTS_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
