#include <stdio.h>

int main(void)
{
    puts("cosy " COSY_RELEASE);
    return 0;
}
