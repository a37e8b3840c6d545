/*
 * sanitizers.h - which sanitizers this is compiled with: gcc says it by names, clang when it is asked.
 */
#ifndef POSTRUN_SANITIZERS_H
#define POSTRUN_SANITIZERS_H

#ifdef __has_feature
#define WITH_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define WITH_THREAD_SANITIZER __has_feature(thread_sanitizer)
#else
#ifdef __SANITIZE_ADDRESS__
#define WITH_ADDRESS_SANITIZER 1
#else
#define WITH_ADDRESS_SANITIZER 0
#endif
#ifdef __SANITIZE_THREAD__
#define WITH_THREAD_SANITIZER 1
#else
#define WITH_THREAD_SANITIZER 0
#endif
#endif

#endif
