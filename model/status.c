/* SPDX-License-Identifier: MIT */
#include "model/status.h"

#include <stdio.h> /* vsnprintf: formats into memory, touches no file */

int text_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] == 0)
        return 0;
    if (c[0] < 0x20 || c[0] == 0x7f)
        return 1;
    return c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

void text_make_printable(const char *text, char *out, size_t size)
{
    enum { ESCAPED = 4 }; /* \xhh */
    size_t used = 0;
    while (*text && used + ESCAPED * 2 < size) {
        int bytes = text_control(text);
        for (int i = 0; i < bytes; i++, used += ESCAPED)
            snprintf(out + used, size - used, "\\x%02x", (unsigned char)*text++);
        if (bytes == 0)
            out[used++] = *text++;
    }
    out[used] = '\0';
}

bool status_set(Status *status, StatusCode code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status_set_list(status, code, format, arguments);
    va_end(arguments);
    return false;
}

bool status_set_list(Status *status, StatusCode code, const char *format, va_list arguments)
{
    char message[sizeof status->message];
    status->code = code;
    vsnprintf(message, sizeof message, format, arguments);
    text_make_printable(message, status->message, sizeof status->message);
    return false;
}
