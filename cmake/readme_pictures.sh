#!/usr/bin/env bash
# Draws the pictures of the README with the program itself, into assets/readme. Needs ./run --build first.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." >/dev/null && pwd)"
heed="$root/build/heed"
out="$root/assets/readme"
[ -x "$heed" ] || { echo "There is no $heed yet: run ./run --build first." >&2; exit 1; }
mkdir -p "$out"
"$heed" snapshot --out "$out/window.png" --size 1440x900
"$heed" snapshot weather-heads --view pipeline --out "$out/window-dark.png" --size 1440x900 --theme dark --lang zh
"$heed" snapshot four-heads --view heads --out "$out/heads.png" --size 1440x900
"$heed" snapshot alignment --view flow --out "$out/flow.png" --size 1440x900
"$heed" render cat --view weights --out "$out/weights.png" --width 900 --height 700 --scale 1.6 --caption
"$heed" sweep saturated --view weights --vary model.temperature=0.5:30:log --frames 16 --delay 160 --out "$out/sweep.gif" --width 480 --height 420 --scale 1
"$heed" snapshot saturated --view saturation --out "$out/saturation.png" --size 1440x900
"$heed" snapshot cat --view gradients --out "$out/gradients.png" --size 1440x900
"$heed" snapshot fish --view order --set display.order.permutation="2 1 0" --out "$out/order.png" --size 1440x900
"$heed" snapshot geometry --view geometry --out "$out/geometry.png" --size 1440x900
"$heed" snapshot four-heads --view cost --set display.cost.panel=error --out "$out/cost.png" --size 1440x900
"$heed" snapshot block --view block --out "$out/block.png" --size 1440x900
"$heed" snapshot --lesson why-root-dk --step 3 --out "$out/lesson.png" --size 1440x900
