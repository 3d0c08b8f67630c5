# gnuplot -e "data='loss.csv'; image='loss.svg'" curves.gnuplot
set terminal svg size 800,480 font 'sans,13' background 'white'
set output image
set datafile separator ','
set xlabel 'training step'
set ylabel 'bits per byte of training text'
set grid
set key top right
plot data using 1:2 with lines linewidth 2 title columnheader, data using 1:3 with lines linewidth 2 title columnheader
