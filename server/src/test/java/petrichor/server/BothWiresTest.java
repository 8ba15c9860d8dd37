package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

class BothWiresTest {
    private static final MethodDescriptor<LookupRequest, LookupResponse> LOOKUP =
            MethodDescriptor.<LookupRequest, LookupResponse>newBuilder()
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName("google.datastore.v1.Datastore/Lookup")
                    .setRequestMarshaller(ProtoUtils.marshaller(LookupRequest.getDefaultInstance()))
                    .setResponseMarshaller(
                            ProtoUtils.marshaller(LookupResponse.getDefaultInstance()))
                    .build();

    @Test
    void onePortSpeaksGrpcAndHttp() throws Exception {
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0));
                HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> ok =
                    http.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + server.port() + "/"))
                                    .version(HttpClient.Version.HTTP_1_1)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(ok.body()).isEqualTo("Ok\n");

            ManagedChannel channel =
                    NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                            .usePlaintext()
                            .build();
            try {
                assertThatThrownBy(
                                () ->
                                        ClientCalls.blockingUnaryCall(
                                                channel,
                                                LOOKUP,
                                                CallOptions.DEFAULT,
                                                LookupRequest.newBuilder()
                                                        .setProjectId("p")
                                                        .build()))
                        .isInstanceOf(StatusRuntimeException.class);
            } finally {
                channel.shutdownNow();
            }
        }
    }
}
