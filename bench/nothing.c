/* A program that only starts and ends: what a launcher costs. */
int main(void)
{
    return 0;
}
