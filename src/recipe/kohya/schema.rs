//! What a dataset configuration of sd-scripts may hold (48d368fa, library/config_util.py:165-330).

use crate::recipe::schema::{Key, Manners, Wants, key};

pub(super) const GENERAL: u8 = 1;
pub(super) const DATASET: u8 = 2;
pub(super) const SUBSET: u8 = 4;
/// What a dataset has may stand in `[general]` too, what a subset has in all three.
const UP: u8 = GENERAL | DATASET;
const ALL: u8 = GENERAL | DATASET | SUBSET;

pub(super) const MANNERS: Manners = Manners { strict: true, levels: &["[general]", "[[datasets]]", "[[datasets.subsets]]"] };

pub(super) static SCHEMA: [Key; 42] = [
    key("batch_size", Wants::Whole, UP),
    key("resolution", Wants::Size, UP),
    key("network_multiplier", Wants::Point, UP),
    key("enable_bucket", Wants::Flag, UP),
    key("min_bucket_reso", Wants::Whole, UP),
    key("max_bucket_reso", Wants::Whole, UP),
    key("bucket_reso_steps", Wants::Whole, UP),
    key("bucket_no_upscale", Wants::Flag, UP),
    key("validation_split", Wants::Point, UP),
    key("validation_seed", Wants::Whole, UP),
    key("skip_image_resolution", Wants::Number, UP),
    key("subsets", Wants::Anything, DATASET),
    key("resize_interpolation", Wants::Text, ALL),
    key("num_repeats", Wants::Whole, ALL),
    key("shuffle_caption", Wants::Flag, ALL),
    key("caption_separator", Wants::Text, ALL),
    key("keep_tokens", Wants::Whole, ALL),
    key("keep_tokens_separator", Wants::Text, ALL),
    key("secondary_separator", Wants::Text, ALL),
    key("enable_wildcard", Wants::Flag, ALL),
    key("color_aug", Wants::Flag, ALL),
    key("flip_aug", Wants::Flag, ALL),
    key("face_crop_aug_range", Wants::Points, ALL),
    key("random_crop", Wants::Flag, ALL),
    key("caption_prefix", Wants::Text, ALL),
    key("caption_suffix", Wants::Text, ALL),
    key("caption_dropout_rate", Wants::Number, ALL),
    key("caption_dropout_every_n_epochs", Wants::Whole, ALL),
    key("caption_tag_dropout_rate", Wants::Number, ALL),
    key("token_warmup_min", Wants::Whole, ALL),
    key("token_warmup_step", Wants::Number, ALL),
    key("custom_attributes", Wants::Anything, ALL),
    key("caption_extension", Wants::Text, ALL),
    key("class_tokens", Wants::Text, ALL),
    key("cache_info", Wants::Flag, ALL),
    key("image_dir", Wants::Path, SUBSET),
    key("is_reg", Wants::Flag, SUBSET),
    key("alpha_mask", Wants::Flag, SUBSET),
    key("metadata_file", Wants::Path, SUBSET),
    key("conditioning_data_dir", Wants::Path, SUBSET),
    key("caption_extention", Wants::Text, ALL),
    key("multires_training", Wants::Flag, UP),
];

/// The settings on which it depends what becomes of a sample, under the same name at every level and among the options.
pub(super) const FOR_TRAINER: [&str; 33] = [
    "batch_size",
    "resolution",
    "enable_bucket",
    "min_bucket_reso",
    "max_bucket_reso",
    "bucket_reso_steps",
    "bucket_no_upscale",
    "validation_split",
    "validation_seed",
    "skip_image_resolution",
    "num_repeats",
    "shuffle_caption",
    "caption_separator",
    "keep_tokens",
    "keep_tokens_separator",
    "secondary_separator",
    "enable_wildcard",
    "color_aug",
    "flip_aug",
    "random_crop",
    "caption_prefix",
    "caption_suffix",
    "caption_dropout_rate",
    "caption_extension",
    "class_tokens",
    "is_reg",
    "alpha_mask",
    "cache_latents",
    "cache_latents_to_disk",
    "cache_text_encoder_outputs",
    "cache_text_encoder_outputs_to_disk",
    "max_token_length",
    "vae_batch_size",
];

/// Options that are called otherwise in the dataset configuration.
pub(super) const FROM_OPTIONS: [(&str, &str); 3] =
    [("train_batch_size", "batch_size"), ("dataset_repeats", "num_repeats"), ("caption_extention", "caption_extension")];
