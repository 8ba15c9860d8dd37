package petrichor.kv.hbase;

import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.MetricsConnection;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.NettyRpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hbase.thirdparty.com.google.protobuf.Descriptors;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcCallback;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcChannel;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.jspecify.annotations.Nullable;

/**
 * The driver's RPC client, extended to count the failed calls that the driver retries: the driver
 * itself reports neither its attempts nor their failures. Does not see actions that fail inside a
 * call for several rows. Thread-safe.
 */
public final class CountedRpcClient extends NettyRpcClient {
    private final LongAdder retries;

    /** Called by the driver. */
    public CountedRpcClient(
            Configuration settings,
            String cluster,
            @Nullable SocketAddress local,
            @Nullable MetricsConnection metrics,
            Map<String, byte[]> attributes) {
        super(settings, cluster, local, metrics, attributes);
        this.retries = settings instanceof Settings counted ? counted.retries : new LongAdder();
    }

    /** Settings of one connection; the driver passes them to each RPC client that it creates. */
    static final class Settings extends Configuration {
        private final LongAdder retries = new LongAdder();

        Settings() {
            super(HBaseConfiguration.create());
            set(RpcClientFactory.CUSTOM_RPC_CLIENT_IMPL_CONF_KEY, CountedRpcClient.class.getName());
        }

        /** Number of calls that were retried, or not retried because their deadline had passed. */
        long retries() {
            return retries.sum();
        }
    }

    @Override
    public RpcChannel createRpcChannel(ServerName server, User user, int timeoutMs) {
        RpcChannel channel = super.createRpcChannel(server, user, timeoutMs);
        return new RpcChannel() {
            @Override
            public void callMethod(
                    Descriptors.MethodDescriptor method,
                    RpcController controller,
                    Message request,
                    Message response,
                    RpcCallback<Message> done) {
                channel.callMethod(
                        method,
                        controller,
                        request,
                        response,
                        answer -> {
                            if (isSentAgain(controller)) {
                                retries.increment();
                            }
                            done.run(answer);
                        });
            }
        };
    }

    private static boolean isSentAgain(RpcController controller) {
        return controller instanceof HBaseRpcController call
                && call.failed()
                && !(call.getFailed() instanceof DoNotRetryIOException);
    }
}
