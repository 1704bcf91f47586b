//! Keys of `SimpleTuner`'s configuration that decide nothing here: they are taken so that a whole file can be poured in.

/// Whether the trainer has this key, without the dashes of a flag.
pub(super) fn has(key: &str) -> bool {
    OTHERS.binary_search(&key).is_ok()
}

/// Of an entry of `multidatabackend.json` (`data_backend/config/image.py`, `base.py` and the kinds of backend), and the commoner flags of
/// `config.json`, sorted.
#[rustfmt::skip]
const OTHERS: [&str; 224] = [
    "accelerator_cache_clear_interval", "allow_tf32", "aspect_bucket_disable_rebuild", "aspect_bucket_worker_count",
    "attention_mechanism", "audio", "auto_load", "aws_access_key_id", "aws_bucket_name", "aws_data_prefix", "aws_endpoint_url",
    "aws_max_pool_connections", "aws_region_name", "aws_secret_access_key", "aws_session_token", "base_model_precision",
    "bucket_strategy", "cache_dir", "cache_dir_text", "cache_dir_vae", "cache_file_suffix", "caption_column",
    "caption_dropout_probability", "caption_filter_list", "checkpoint_step_interval", "checkpointing_rolling_steps",
    "checkpointing_steps", "checkpoints_rolling_total_limit", "checkpoints_total_limit", "compress_cache", "compress_disk_cache",
    "conditioning", "conditioning_config", "conditioning_data", "conditioning_type", "control", "controlnet", "csv_cache_dir",
    "csv_caption_column", "csv_file", "csv_hash_filenames", "csv_shorten_filenames", "csv_url_column", "data_backend_config",
    "data_backend_sampling", "data_files", "data_generator", "dataloader_prefetch", "dataloader_prefetch_qlen", "dataset",
    "dataset_config", "dataset_name", "default", "disable", "disable_benchmark", "disable_tf32", "disable_validation", "disabled",
    "dynamo_mode", "ema_decay", "ema_device", "ema_update_interval", "ema_validation", "enable_multiprocessing",
    "enable_xformers_memory_efficient_attention", "end_epoch", "end_step", "eval_steps_interval", "evaluation_type",
    "fallback_caption_column", "flow_schedule_auto_shift", "flow_schedule_shift", "flux_attention_masked_training", "flux_fast_schedule",
    "flux_guidance_mode", "flux_guidance_value", "flux_lora_target", "framerate", "fuse_qkv_projections", "grad_clip_method",
    "gradient_checkpointing", "gradient_checkpointing_interval", "gradient_precision", "hash_filenames", "hf_token", "hub_model_id",
    "hub_token", "huber_c", "huber_schedule", "huggingface", "id", "ignore_epochs", "ignore_final_epochs", "image_column", "image_embeds",
    "image_processing_batch_size", "inference_scheduler_timestep_spacing", "init_lora", "input_perturbation", "instance_data_dir",
    "instance_data_root", "instance_prompt", "is_regularisation_data", "is_regularization_data", "keep_vae_loaded",
    "layer_freeze_strategy", "learning_rate", "learning_rate_end", "local_files_only", "logging_dir", "lora_alpha", "lora_dropout",
    "lora_init_type", "lora_rank", "lora_type", "loss_type", "lr_end", "lr_num_cycles", "lr_power", "lr_scheduler", "lr_warmup_steps",
    "lycoris_config", "max_frames", "max_grad_norm", "max_num_samples", "max_train_steps", "max_upscale_threshold", "max_workers",
    "maximum_image_size", "metadata", "metadata_backend", "metadata_update_interval", "min_frames", "mixed_precision", "model_type",
    "noise_offset", "num_frames", "num_machines", "num_proc", "num_train_epochs", "num_validation_images", "offload_during_startup",
    "offset_noise", "only_instance_prompt", "optimizer", "optimizer_config", "output_dir", "override_dataset_config", "parquet",
    "prediction_type", "prepend_instance_prompt", "preserve_data_backend_cache", "pretrained_model_name_or_path",
    "pretrained_t5_model_name_or_path", "pretrained_transformer_model_name_or_path", "pretrained_vae_model_name_or_path", "probability",
    "push_checkpoints_to_hub", "push_to_hub", "quantize_via", "read_batch_size", "report_to", "rescale_betas_zero_snr",
    "resume_from_checkpoint", "revision", "scan_for_errors", "seed", "seed_for_each_device", "shorten_filenames", "skip_file_discovery",
    "slider_strength", "snr_gamma", "source", "source_dataset_id", "split", "start_epoch", "start_step", "streaming", "subfolder",
    "t5_padding", "target_downsample_size", "text_cache_ondemand", "text_embeds", "text_encoder_1_precision", "timestep_sampling_offset",
    "tokenizer_max_length", "tracker_project_name", "tracker_run_name", "train_text_encoder", "training_scheduler_timestep_spacing",
    "type", "use_ema", "user_prompt_library", "vae_batch_size", "vae_cache_clear_each_epoch", "vae_cache_disable", "vae_cache_ondemand",
    "vae_cache_scan_behaviour", "vae_enable_slicing", "vae_enable_tiling", "validation_disable", "validation_disable_unconditional",
    "validation_epoch_interval", "validation_guidance", "validation_guidance_real", "validation_guidance_rescale",
    "validation_negative_prompt", "validation_num_inference_steps", "validation_prompt", "validation_prompt_library",
    "validation_resolution", "validation_seed", "validation_seed_source", "validation_step_interval", "validation_steps",
    "validation_torch_compile", "validation_using_datasets", "variant", "video", "video_column", "webhook_config", "webshart",
    "weight_dtype", "write_batch_size",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_so_that_each_is_found() {
        assert!(OTHERS.is_sorted());
        assert!(has("cache_dir_vae") && has("data_backend_config") && !has("resolution"));
    }
}
