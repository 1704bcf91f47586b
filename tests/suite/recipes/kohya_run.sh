#!/bin/bash
# LoRA of a style
export HF_HOME=/cache
accelerate launch --num_cpu_threads_per_process 2 \
  sd-scripts/sdxl_train_network.py \
  --train_data_dir="/data/my style/img" --reg_data_dir /data/reg \
  --resolution=1280,768 --enable_bucket \
  --bucket_reso_steps 48 \
  --caption_extension .txt --cache_latents --random_crop \
  --train_batch_size 2 --seed 7
