/* gcc's unwinder, compiled for glibc 2.35 and later, asks glibc which object has an address and where its table of
 * frames is: the same for musl, by dl_iterate_phdr. */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>

/* As in glibc's dlfcn.h. */
struct found { unsigned long long flags; void *start, *end; void *map; void *frames; };

struct search { ElfW(Addr) address; struct found *found; };

static int look(struct dl_phdr_info *object, size_t size, void *data) {
    struct search *search = data;
    ElfW(Addr) frames = 0;
    int is_here = 0;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        ElfW(Addr) start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_GNU_EH_FRAME) frames = start;
        if (part->p_type != PT_LOAD || search->address - start >= part->p_memsz) continue;
        is_here = 1;
        search->found->start = (void *)start, search->found->end = (void *)(start + part->p_memsz);
    }
    if (!is_here || !frames) return 0;
    search->found->frames = (void *)frames;
    return 1;
}

int _dl_find_object(void *address, struct found *found) {
    struct search search = { (ElfW(Addr))address, found };
    return dl_iterate_phdr(look, &search) ? 0 : -1;
}
