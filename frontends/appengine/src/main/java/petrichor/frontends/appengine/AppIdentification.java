package petrichor.frontends.appengine;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AccessAttempt;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;

/**
 * Identifies the app that sends a call. A valid ticket of this server suffices. Without configured
 * tokens, or with a token for the app's project in the header {@code Authorization}, the ticket
 * only names the app: {@code PROJECT} or {@code PROJECT/…}; any other text, and none, represents
 * the default project. Immutable.
 */
final class AppIdentification {
    /** Longer texts are ids of requests; Google's ids of projects have at most 30 characters. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "(?:[a-z][a-z\\d\\-]{0,29}~)?(?<project>(?:[a-z\\d.\\-]{1,63}:)?[a-z][a-z\\d\\-]{0,29})(?:/.*)?",
                    Pattern.DOTALL);

    private final Tickets tickets;
    private final String defaultProject;

    AppIdentification(Tickets tickets, String defaultProject) {
        this.tickets = tickets;
        this.defaultProject = CallingApp.of(defaultProject).project();
    }

    /**
     * PERMISSION_DENIED if the ticket is not valid, or the token has no access to the project.
     *
     * @param attempt admitted if the caller sent a token or needs none
     */
    CallingApp identify(String ticket, AccessAttempt attempt) {
        Optional<CallingApp> known = tickets.app(ticket);
        if (known.isPresent()) {
            attempt.about(known.get().project(), "");
            // At the port for apps, the ticket of another app would be a stolen one.
            attempt.admitted().ifPresent(app -> app.requireProject(known.get().project()));
            return known.get();
        }
        if (Tickets.isIssued(ticket)) {
            throw denied(
                    "the ticket of this request is not valid: its request has ended, or another"
                            + " server issued it");
        }
        Optional<Caller> caller = attempt.admitted();
        if (caller.isEmpty()) {
            throw denied(
                    "this server requires tokens (auth.token), and the call has neither a ticket of"
                            + " this server nor a token");
        }
        Matcher named = NAMED.matcher(ticket);
        String project = named.matches() ? named.group("project") : defaultProject;
        attempt.require(Role.WRITE, project, "");
        return CallingApp.of(project);
    }

    private static PetrichorException denied(String why) {
        return PetrichorException.of(ErrorCode.PERMISSION_DENIED, "{why}", "why", why);
    }
}
