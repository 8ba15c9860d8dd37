package petrichor.jobs.channels;

/**
 * Chooses the size of a gate's blocks. At a gate shared by several subtasks, it adapts to the
 * measured cost of their records. Written under the gate's lock, read by all threads.
 */
final class BlockSize {
    /**
     * Target processing time of a block at a shared gate: 20 ms, a thousand times the cost of a
     * hand-over.
     */
    private static final double SHARED_BLOCK_NANOS = 20e6;

    /** Size of a shared gate's blocks until the cost of its records has been measured. */
    private static final int SHARED_BLOCK_BYTES_FIRST = 1 << 10;

    /** Weight of a new measurement against the average of the earlier ones. */
    private static final double NEW_PART = 0.5;

    private double nanosPerByte;
    private volatile int bytes = Block.FRAME_BYTES_MAX;

    int bytes() {
        return bytes;
    }

    /** Starts to adapt. */
    void begins() {
        bytes = SHARED_BLOCK_BYTES_FIRST;
    }

    /**
     * @param newNanosPerByte as measured by a consumer; 0 if it has not measured yet
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
