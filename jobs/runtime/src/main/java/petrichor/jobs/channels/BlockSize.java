package petrichor.jobs.channels;

/**
 * How large the blocks of a gate should be. One that several subtasks take from learns what their
 * records cost. Written under the gate's lock, read by all.
 */
final class BlockSize {
    /** What a block of a shared gate should cost: 20 ms, a thousand times what a hand-over does. */
    private static final double SHARED_BLOCK_NANOS = 20e6;

    /** As long as nobody knows what they cost, blocks of a shared gate are as small as this. */
    private static final int SHARED_BLOCK_BYTES_FIRST = 1 << 10;

    /** A new measurement counts as much as all before it. */
    private static final double NEW_PART = 0.5;

    private double nanosPerByte;
    private volatile int bytes = Block.FRAME_BYTES_MAX;

    int bytes() {
        return bytes;
    }

    /** From here on it learns. */
    void begins() {
        bytes = SHARED_BLOCK_BYTES_FIRST;
    }

    /**
     * @param newNanosPerByte what a taker has measured; 0 if nothing
     */
    void learn(double newNanosPerByte) {
        if (newNanosPerByte > 0) {
            nanosPerByte =
                    nanosPerByte == 0
                            ? newNanosPerByte
                            : nanosPerByte + NEW_PART * (newNanosPerByte - nanosPerByte);
            bytes = (int) Math.clamp(SHARED_BLOCK_NANOS / nanosPerByte, 1, Block.FRAME_BYTES_MAX);
        }
    }
}
