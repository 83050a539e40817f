/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts the allocations of the whole process: those of the plug-in and of its libraries too, because a program's own malloc comes first. */
#pragma once

#include <cerrno>
#include <cstdlib>

inline thread_local long allocations = 0;

extern "C" {
void *__libc_malloc(std::size_t size) noexcept;
void *__libc_calloc(std::size_t count, std::size_t size) noexcept;
void *__libc_realloc(void *memory, std::size_t size) noexcept;
void *__libc_memalign(std::size_t alignment, std::size_t size) noexcept;

void *malloc(std::size_t size) noexcept {
  allocations++;
  return __libc_malloc(size);
}

void *calloc(std::size_t count, std::size_t size) noexcept {
  allocations++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, std::size_t size) noexcept {
  allocations++;
  return __libc_realloc(memory, size);
}

void *aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  allocations++;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, std::size_t alignment, std::size_t size) noexcept {
  allocations++;
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
