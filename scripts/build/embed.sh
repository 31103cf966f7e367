#!/bin/sh
# Write an assembler file that embeds the given sources and the table sw_embedded[] (src/base/sw_embed.h) that names
# them.
echo '.section .rodata'
k=0
for file; do
    printf 'begin%d: .incbin "%s"\nend%d: .byte 0\n' $k "$file" $k
    printf 'name%d: .asciz "%s"\n' $k "$(echo "$file" | sed 's,^src/,,')"
    k=$((k + 1))
done
echo '.section .data.rel.ro.local,"aw"'
echo '.balign 8'
echo '.globl sw_embedded'
echo 'sw_embedded:'
i=0
while [ $i -lt $k ]; do
    echo ".quad name$i, begin$i, end$i"
    i=$((i + 1))
done
echo '.quad 0, 0, 0'
echo '.section .note.GNU-stack,"",@progbits'
