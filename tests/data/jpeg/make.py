#!/usr/bin/env python3
"""Draws and encodes the JPEG files of this folder. Needs Pillow 13."""
from PIL import Image, ImageDraw


def drawing(width, height, mode="RGB"):
    picture = Image.new("RGB", (width, height), (200, 180, 90))
    draw = ImageDraw.Draw(picture)
    draw.ellipse((width // 4, height // 4, width, height), fill=(30, 60, 160))
    for x in range(0, width, 5):
        draw.line((x, 0, width - x, height // 3), fill=(x * 7 % 256, 40, 255 - x * 3 % 256))
    return picture.convert(mode)


drawing(48, 40).save("progressive.jpg", quality=60, progressive=True)
drawing(48, 40).save("restarts.jpg", quality=60, restart_marker_blocks=2)
for width, height in ((1, 1), (7, 9), (17, 33)):
    drawing(width, height).save(f"subsampled-{width}x{height}.jpg", quality=60, subsampling="4:2:0")
    drawing(width, height).save(f"progressive-{width}x{height}.jpg", quality=60, subsampling="4:2:0", progressive=True)
Image.new("CMYK", (24, 16), (0, 0, 0, 55)).save("cmyk.jpg", quality=90)
Image.new("RGB", (24, 16), (200, 200, 200)).save("gray-in-rgb.jpg", quality=90, keep_rgb=True)
