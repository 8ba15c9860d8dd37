package petrichor.rpc;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Passes messages through gRPC as raw bytes, with a single copy. */
public final class ByteMessages {
    /** Represents a message that exceeds the limit once decompressed. */
    public static final byte[] TOO_LARGE = {};

    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new Encoded(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try {
                        return bytes(stream);
                    } catch (StatusRuntimeException tooLarge) {
                        // If it were thrown, gRPC would log it as a defect and answer UNKNOWN.
                        return TOO_LARGE;
                    } catch (IOException broken) {
                        throw new UncheckedIOException(broken);
                    }
                }
            };

    private ByteMessages() {}

    /** Allocates an array of the right size and fills it once, if gRPC knows the length. */
    private static byte[] bytes(InputStream stream) throws IOException {
        if (!(stream instanceof KnownLength)) {
            return stream.readAllBytes();
        }
        byte[] bytes = new byte[stream.available()];
        int read = stream.readNBytes(bytes, 0, bytes.length);
        if (read < bytes.length) {
            throw new EOFException("a message ended after " + read + " bytes");
        }
        return bytes;
    }

    /** The content, without a copy if it is backed by exactly one array; otherwise a copy. */
    public static byte[] array(ByteString content) {
        Whole whole = new Whole();
        try {
            UnsafeByteOperations.unsafeWriteTo(content, whole);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        byte[] found = whole.array;
        return found != null && found.length == content.size() ? found : content.toByteArray();
    }

    /** Captures the array behind a content. */
    private static final class Whole extends ByteOutput {
        private byte @Nullable [] array;

        @Override
        public void write(byte value) {}

        @Override
        public void write(byte[] value, int offset, int length) {}

        @Override
        public void writeLazy(byte[] value, int offset, int length) {
            array = length == value.length ? value : null;
        }

        @Override
        public void write(ByteBuffer value) {}

        @Override
        public void writeLazy(ByteBuffer value) {}
    }

    /**
     * A unary method.
     *
     * @param fullName service and method, {@code a.b.C/D}
     */
    public static MethodDescriptor<byte[], byte[]> method(String fullName) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(fullName)
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
    }

    /** Lets gRPC copy an encoded message in one step. */
    private static final class Encoded extends ByteArrayInputStream
            implements KnownLength, Drainable {
        Encoded(byte[] bytes) {
            super(bytes);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = count - pos;
            target.write(buf, pos, length);
            pos = count;
            return length;
        }
    }
}
