package petrichor.jobs.channels.compression;

/**
 * What one block cost on the writer's side.
 *
 * @param level what the model had said
 * @param rawBytes its size before compression
 * @param wireBytes its size as it went
 * @param produceNanos from the end of the block before to the moment this one came: the time that
 *     the task needed to fill it
 * @param compressNanos spent compressing; trials at other levels do not count
 * @param waitNanos spent waiting until the channel took a block
 * @param transferNanos spent handing it to the operating system
 * @param atNanos when all of this was over
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
