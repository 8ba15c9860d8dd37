package petrichor.jobs.channels.compression;

/**
 * The writer's costs of one block.
 *
 * @param level as the model chose
 * @param rawBytes its size before compression
 * @param wireBytes its size as sent
 * @param produceNanos the time in which the task filled the block: from the end of the previous
 *     send to the start of this one
 * @param compressNanos spent compressing, without trials at other levels
 * @param waitNanos blocked by back-pressure
 * @param transferNanos spent passing it to the operating system
 * @param atNanos when the block had been sent
 */
public record SentBlock(
        Level level,
        int rawBytes,
        int wireBytes,
        long produceNanos,
        long compressNanos,
        long waitNanos,
        long transferNanos,
        long atNanos) {
    public SentBlock {
        if (rawBytes <= 0 || wireBytes <= 0 || wireBytes > rawBytes) {
            throw new IllegalArgumentException(
                    "a block of " + rawBytes + " bytes cannot be sent as " + wireBytes);
        }
    }
}
