package petrichor.coordination.zookeeper;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Escapes any text as a node name: no slashes, no control characters, and neither . nor .. */
final class NodeNames {
    private NodeNames() {}

    static String encoded(String name) {
        return URLEncoder.encode(name, StandardCharsets.UTF_8).replace(".", "%2E");
    }

    static String decoded(String name) {
        return URLDecoder.decode(name, StandardCharsets.UTF_8);
    }
}
