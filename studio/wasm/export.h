/**
 * @file export.h
 * @brief How a function of the studio's WebAssembly module gets its name in the module.
 */
#ifndef STUDIO_EXPORT_H
#define STUDIO_EXPORT_H

#ifdef __wasm__
#define STUDIO_EXPORT(name) __attribute__((export_name(#name)))
#else
#define STUDIO_EXPORT(name)
#endif

#endif
