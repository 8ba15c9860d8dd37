package petrichor.jobs.mapreduce;

import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.protocol.ClientProtocol;
import org.apache.hadoop.mapreduce.protocol.ClientProtocolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Lets programs submit their jobs to us: {@code mapreduce.framework.name} is {@code petrichor}.
 * Found by Hadoop as a service; stateless.
 */
public final class RunnerProvider extends ClientProtocolProvider {
    static final String NAME = "petrichor";

    @Override
    public @Nullable ClientProtocol create(Configuration configuration) {
        return NAME.equals(configuration.get(MRConfig.FRAMEWORK_NAME))
                ? new Runner(configuration)
                : null;
    }

    @Override
    public @Nullable ClientProtocol create(InetSocketAddress address, Configuration configuration) {
        return null;
    }

    @Override
    public void close(ClientProtocol runner) {
        // It holds nothing that its jobs do not hold themselves.
    }
}
