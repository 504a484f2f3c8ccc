# shellcheck shell=bash
. tests/docs/program.sh
cat >program.f90 <<'END'
program example
    integer :: me, count
    call blacs_pinfo(me, count)
    call blacs_exit(0)
end program
END
