/* SHA-256 (FIPS 180-4) in base64, as a page's Content-Security-Policy names the scripts that may run. */
#ifndef RIGOR_REPORTS_SHA256_H
#define RIGOR_REPORTS_SHA256_H

#include <stddef.h>

enum { SHA256_BASE64 = 45 }; /* with the end of the string */

void sha256_base64(const char *text, size_t size, char out[SHA256_BASE64]);

#endif
