package petrichor.services.mail;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * From which addresses an app may send: its administrators, {@code anything@APP.appspotmail.com},
 * and those that the operator configures.
 *
 * @param admins addresses of the administrators of an app
 * @param configured addresses, or {@code *@DOMAIN}
 */
public record SenderRules(Function<String, List<String>> admins, List<String> configured) {
    public static final String APP_DOMAIN = ".appspotmail.com";

    public SenderRules {
        configured = configured.stream().map(one -> one.strip().toLowerCase(Locale.ROOT)).toList();
    }

    boolean permits(String project, String address) {
        String lower = address.toLowerCase(Locale.ROOT);
        String domain = lower.substring(lower.lastIndexOf('@') + 1);
        return domain.equals(project.toLowerCase(Locale.ROOT) + APP_DOMAIN)
                || configured.contains(lower)
                || configured.contains("*@" + domain)
                || admins.apply(project).stream().anyMatch(lower::equalsIgnoreCase);
    }
}
