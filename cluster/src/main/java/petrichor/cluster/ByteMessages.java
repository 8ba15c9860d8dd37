package petrichor.cluster;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Messages that pass gRPC as they are. */
final class ByteMessages {
    private ByteMessages() {}

    static MethodDescriptor<byte[], byte[]> method(String fullName) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(fullName)
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new Message(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try {
                        return stream.readAllBytes();
                    } catch (IOException broken) {
                        throw new UncheckedIOException(broken);
                    }
                }
            };

    private static final class Message extends ByteArrayInputStream implements KnownLength {
        Message(byte[] bytes) {
            super(bytes);
        }
    }
}
