@echo off
REM the dog, don't forget the class images
accelerate launch train_dreambooth_lora_flux2.py ^
  --pretrained_model_name_or_path="black-forest-labs/FLUX.2-dev" ^
  --instance_data_dir=C:\train\new ^
  --class_data_dir="C:\train\class" --with_prior_preservation ^
  --class_prompt="a dog" --instance_prompt="a sks dog" ^
  --resolution=512 --train_batch_size=1 --seed=0
