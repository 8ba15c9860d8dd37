package petrichor.rpc;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import petrichor.base.Cancellation;

/** A call of {@link PeerServer#SERVICE}; its text determines how it is handled. */
record PeerCall(String text, byte[] body, Cancellation cancellation) implements RoutedCall {
    static final String METHOD = PeerServer.SERVICE + "/Do";
    static final String DATABASE = "db";

    PeerCall(String text) {
        this(text, text.getBytes(StandardCharsets.UTF_8), Cancellation.never());
    }

    /** A call too large for the stream. */
    static PeerCall large(String text) {
        byte[] start = text.getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[PeerMethods.STREAM_BODY_BYTES_MAX + 1];
        System.arraycopy(start, 0, body, 0, start.length);
        return new PeerCall(text, body, Cancellation.never());
    }

    @Override
    public String method() {
        return METHOD;
    }

    @Override
    public String database() {
        return DATABASE;
    }

    @Override
    public Locality locality() {
        return Locality.OWNER;
    }

    @Override
    public String traceparent() {
        return "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    }

    @Override
    public CompletableFuture<byte[]> execute() {
        return CompletableFuture.failedFuture(new AssertionError("executed by the caller"));
    }
}
