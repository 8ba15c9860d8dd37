package petrichor.frontends.datastore;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Messages that pass gRPC as the bytes they are. */
public final class ByteMessages {
    /** Stands for a message that is larger than allowed once it is unpacked. */
    static final byte[] TOO_LARGE = {};

    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new Encoded(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try {
                        return stream.readAllBytes();
                    } catch (StatusRuntimeException tooLarge) {
                        // Thrown further, gRPC would log it as a defect and answer UNKNOWN.
                        return TOO_LARGE;
                    } catch (IOException broken) {
                        throw new UncheckedIOException(broken);
                    }
                }
            };

    private ByteMessages() {}

    /**
     * A method with one request and one answer.
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

    /** Lets gRPC copy an encoded message in one go. */
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
