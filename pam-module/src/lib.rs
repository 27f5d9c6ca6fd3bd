//! PAM module that refuses passwords near a dictionary or too common here.
