package petrichor.bench.compression;

import java.io.IOException;
import java.util.List;

/** A link from a sender to a receiver with an adjustable rate. */
sealed interface ShapedLink extends AutoCloseable permits NamespaceLink, ProxyLink {
    /** How it is implemented, for the report. */
    String how();

    /** The prefix of a command that runs at the sender's end. */
    List<String> senderPrefix();

    List<String> receiverPrefix();

    String senderAddress();

    String receiverAddress();

    void rate(int megabitsPerSecond) throws IOException;

    /** The port to which the sender connects to reach a port of the receiver over the link. */
    int portTowards(int receiverPort) throws IOException;

    @Override
    void close();
}
