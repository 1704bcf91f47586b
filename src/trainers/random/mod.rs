//! The generators that trainers draw from, bit for bit: Python's, torch's and NumPy's, how Python hashes tuples,
//! and the seeds that diffusion-pipe makes of names.
//!
//! Only what an order of samples depends on is here. Nothing in this program is random itself.

mod hash;
mod name;
mod numpy;
mod python;
mod torch;
mod twister;

pub use hash::tuple_hash;
pub use name::seed_of_name;
pub use numpy::NumpyRandom;
pub use python::PythonRandom;
pub use torch::TorchRandom;
