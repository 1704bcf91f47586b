//! Headers: agreement with Pillow on public files, every format from files made here, and hostile bytes.

mod corpus;
mod hostile;
mod made;
