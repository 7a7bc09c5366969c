# Text of words drawn by rank, as in a natural language, without long repetitions: awk -v size=BYTES -f text.awk.
function draw() {
    seed = (seed * 16807) % 2147483647
    return seed / 2147483647
}
BEGIN {
    seed = 1
    for (word = 0; word < 20000; word++) {
        letters = 2 + int(draw() * 9)
        text = ""
        for (i = 0; i < letters; i++) text = text sprintf("%c", 97 + int(26 * draw() * draw()))
        words[word] = text
    }
    while (written < size) {
        line = ""
        for (i = 0; i < 12; i++) line = line words[int(exp(draw() * log(20000))) - 1] (draw() < 0.1 ? ", " : " ")
        print line
        written += length(line) + 1
    }
}
