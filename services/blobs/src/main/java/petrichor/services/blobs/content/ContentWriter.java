package petrichor.services.blobs.content;

/** Writes a content. Confined to one thread. */
public interface ContentWriter extends AutoCloseable {
    /** Copies the bytes. May block until the store accepts more. */
    void write(byte[] bytes, int offset, int length);

    /** Makes everything written durable. Nothing can be written afterwards. */
    void finish();

    /** Without {@link #finish}, the bytes of this writer may or may not be in the store. */
    @Override
    void close();
}
