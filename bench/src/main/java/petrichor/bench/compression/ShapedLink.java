package petrichor.bench.compression;

import java.io.IOException;
import java.util.List;

/** A link from a sender to a receiver whose rate can be set. */
sealed interface ShapedLink extends AutoCloseable permits NamespaceLink, ProxyLink {
    /** How it works, for the report. */
    String how();

    /** What a command at the sender's end is prefixed with. */
    List<String> senderPrefix();

    List<String> receiverPrefix();

    String senderAddress();

    String receiverAddress();

    void rate(int megabitsPerSecond) throws IOException;

    /** Where the sender must connect in order to reach a port of the receiver over the link. */
    int portTowards(int receiverPort) throws IOException;

    @Override
    void close();
}
