//! Tests of the whole reader, on files made here. Every verdict here was seen from Pillow 13.
