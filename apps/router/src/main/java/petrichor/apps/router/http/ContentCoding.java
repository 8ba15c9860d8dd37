package petrichor.apps.router.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The content codings that the router can apply (RFC 9110, section 8.4.1), best first. */
public enum ContentCoding {
    ZSTD,
    GZIP;

    /** As in Content-Encoding. */
    public String token() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the client accepts it, by the Accept-Encoding of its request. */
    public boolean isAcceptedBy(HttpHeaders request) {
        return weight(request) > 0;
    }

    /**
     * The coding that the client prefers; null if it accepts none.
     *
     * @param usable which ones the router can apply on this machine
     */
    public static @Nullable ContentCoding preferredBy(
            HttpHeaders request, Predicate<ContentCoding> usable) {
        if (!request.contains(HttpHeaderNames.ACCEPT_ENCODING)) {
            return null;
        }
        ContentCoding preferred = null;
        double most = 0;
        for (ContentCoding each : values()) {
            double weight = each.weight(request);
            if (weight > most && usable.test(each)) {
                preferred = each;
                most = weight;
            }
        }
        return preferred;
    }

    private double weight(HttpHeaders request) {
        double others = 0;
        for (String value : request.getAll(HttpHeaderNames.ACCEPT_ENCODING)) {
            for (String each : value.split(",", -1)) {
                String[] parts = each.split(";", -1);
                String name = parts[0].strip();
                if (isNamed(name)) {
                    return weight(parts);
                }
                if (name.equals("*") && this == GZIP) {
                    // A client that accepts anything need not know the newer coding.
                    others = weight(parts);
                }
            }
        }
        return others;
    }

    private boolean isNamed(String name) {
        return name.equalsIgnoreCase(token()) || (this == GZIP && name.equalsIgnoreCase("x-gzip"));
    }

    private static double weight(String[] parts) {
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("q=")) {
                String weight = parameter.substring(2).strip();
                return weight.matches("0(\\.\\d{0,3})?|1(\\.0{0,3})?")
                        ? Double.parseDouble(weight)
                        : 0;
            }
        }
        return 1;
    }
}
