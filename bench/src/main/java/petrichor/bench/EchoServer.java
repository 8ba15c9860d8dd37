package petrichor.bench;

import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The ceiling of every read over gRPC: reads the bytes of the request, answers with prepared bytes,
 * and does nothing else. Same library, same transport, direct executor.
 */
public final class EchoServer {
    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
            new MethodDescriptor.Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new ByteArrayInputStream(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try (stream) {
                        return stream.readAllBytes();
                    } catch (IOException failure) {
                        throw new UncheckedIOException(failure);
                    }
                }
            };

    private EchoServer() {}

    /**
     * Arguments: the name of the method, a file with the bytes of the answer, the port on loopback.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        byte[] bytes = Files.readAllBytes(Path.of(arguments[1]));
        start(arguments[0], bytes, Integer.parseInt(arguments[2])).awaitTermination();
    }

    private static Server start(String method, byte[] bytes, int port) throws IOException {
        MethodDescriptor<byte[], byte[]> descriptor =
                MethodDescriptor.<byte[], byte[]>newBuilder()
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName("google.datastore.v1.Datastore/" + method)
                        .setRequestMarshaller(BYTES)
                        .setResponseMarshaller(BYTES)
                        .build();
        ServerServiceDefinition service =
                ServerServiceDefinition.builder("google.datastore.v1.Datastore")
                        .addMethod(
                                descriptor,
                                ServerCalls.asyncUnaryCall(
                                        (_, out) -> {
                                            out.onNext(bytes);
                                            out.onCompleted();
                                        }))
                        .build();
        return NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .directExecutor()
                .addService(service)
                .build()
                .start();
    }
}
