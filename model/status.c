#include "model/status.h"

#include <stdarg.h>
#include <stdio.h> /* vsnprintf: formats into memory, touches no file */

bool status_set(Status *status, StatusCode code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    status->code = code;
    vsnprintf(status->message, sizeof status->message, format, arguments);
    va_end(arguments);
    return false;
}
