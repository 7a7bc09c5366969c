// Three calls that share a landing pad, each throwing in some turns, through a frame that catches nothing.
static volatile int thrown, level;

struct Failure {
    int turn;
};

static void deeper(int turn) {
    level = turn;
    throw Failure{turn};
}

static void step(int number, int turn) {
    if (turn % 5 == number) deeper(turn);
    level = level + 1;
}

static void attempt(int turn) {
    try {
        step(0, turn);
        step(1, turn);
        step(2, turn);
    } catch (const Failure &failure) {
        if (failure.turn == turn) thrown = thrown + 1;
    }
}

int main() {
    for (int turn = 0; turn < 30; turn++) attempt(turn);
    return thrown == 18 ? 0 : 1;
}
