accelerate launch train_dreambooth_lora_flux2.py \
  --instance_data_dir=images \
  --instance_prompt="a photo of sks dog" \
  --resolution=512 \
  --use_aspect_ratio_buckets \
  --train_batch_size=1
