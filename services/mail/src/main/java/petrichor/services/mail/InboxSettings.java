package petrichor.services.mail;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The SMTP server for incoming mail.
 *
 * @param port 0 picks a free one
 * @param domains under which apps have addresses: {@code anything@PROJECT.DOMAIN}
 * @param connectionsMax at once
 */
public record InboxSettings(
        InetAddress address, int port, List<String> domains, int connectionsMax) {
    public static final Duration IDLE_MAX = Duration.ofMinutes(1);
    public static final int RECIPIENTS_MAX = 100;

    public InboxSettings {
        domains = domains.stream().map(one -> one.toLowerCase(Locale.ROOT)).toList();
    }
}
