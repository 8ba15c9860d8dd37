package petrichor.frontends.datastore;

import io.grpc.MethodDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * What two servers say to each other on the one stream from one to the other: calls that way,
 * replies the other way, in any order, several in a message.
 *
 * <pre>
 *   call    id(8) bytes of the name(1) name of the method, bytes(4) request
 *   reply   id(8) outcome(1)                               bytes(4) answer, or text of the failure
 * </pre>
 */
public final class PeerMessages {
    /** The stream, for gRPC. */
    public static final String METHOD = "petrichor.cluster.v1.Peers/Exchange";

    /**
     * The method of a call that has no reply and no request: the client that waits for the call
     * with the same id has left, or its deadline has passed.
     */
    public static final String CANCEL = "petrichor.cluster.v1.Peers/Cancel";

    /** A call with a longer request goes its own way: it would keep others waiting. */
    public static final int REQUEST_BYTES_MAX = 64 << 10;

    /** The outcome of a call that came to the wrong server: nothing was done. */
    public static final int NOT_MINE = 255;

    /** The outcome of a call that has an answer; others are numbers of google.rpc.Code. */
    public static final int ANSWERED = 0;

    private static final int CALL_HEAD = Long.BYTES + 1 + Integer.BYTES;
    private static final int REPLY_HEAD = Long.BYTES + 1 + Integer.BYTES;

    /**
     * A call.
     *
     * @param id that its reply will have; of this stream
     * @param method gRPC's full name
     */
    public record Call(long id, String method, byte[] request) {
        /** In a message. */
        public int size() {
            return CALL_HEAD + method.length() + request.length;
        }
    }

    /**
     * What became of a call.
     *
     * @param outcome {@link #ANSWERED}, {@link #NOT_MINE}, or a number of google.rpc.Code
     */
    public record Reply(long id, int outcome, byte[] body) {
        /** In a message. */
        public int size() {
            return REPLY_HEAD + body.length;
        }

        /** What the body says of a failure. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private PeerMessages() {}

    /** The stream, for gRPC. */
    public static MethodDescriptor<byte[], byte[]> stream() {
        return ByteMessages.method(METHOD).toBuilder()
                .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                .build();
    }

    public static byte[] encodeCalls(List<Call> calls) {
        ByteBuffer out = ByteBuffer.allocate(calls.stream().mapToInt(Call::size).sum());
        for (Call call : calls) {
            out.putLong(call.id()).put((byte) call.method().length());
            out.put(call.method().getBytes(StandardCharsets.ISO_8859_1));
            out.putInt(call.request().length).put(call.request());
        }
        return out.array();
    }

    /** INVALID_ARGUMENT if that is not what servers say. */
    public static List<Call> decodeCalls(byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message);
        List<Call> calls = new ArrayList<>();
        while (in.hasRemaining()) {
            require(in, CALL_HEAD);
            long id = in.getLong();
            byte[] method = piece(in, in.get() & 0xff);
            require(in, Integer.BYTES);
            byte[] request = piece(in, in.getInt());
            calls.add(new Call(id, new String(method, StandardCharsets.ISO_8859_1), request));
        }
        return calls;
    }

    public static byte[] encodeReplies(List<Reply> replies) {
        ByteBuffer out = ByteBuffer.allocate(replies.stream().mapToInt(Reply::size).sum());
        for (Reply reply : replies) {
            out.putLong(reply.id()).put((byte) reply.outcome());
            out.putInt(reply.body().length).put(reply.body());
        }
        return out.array();
    }

    /** INVALID_ARGUMENT if that is not what servers say. */
    public static List<Reply> decodeReplies(byte[] message) {
        ByteBuffer in = ByteBuffer.wrap(message);
        List<Reply> replies = new ArrayList<>();
        while (in.hasRemaining()) {
            require(in, REPLY_HEAD);
            long id = in.getLong();
            int outcome = in.get() & 0xff;
            replies.add(new Reply(id, outcome, piece(in, in.getInt())));
        }
        return replies;
    }

    private static byte[] piece(ByteBuffer in, int bytes) {
        require(in, bytes);
        byte[] piece = new byte[bytes];
        in.get(piece);
        return piece;
    }

    private static void require(ByteBuffer in, int bytes) {
        if (bytes < 0 || bytes > in.remaining()) {
            throw PetrichorException.invalid(
                    "invalid message between servers of a cluster; do they all run the same"
                            + " version?");
        }
    }
}
