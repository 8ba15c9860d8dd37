package petrichor.server.pages;

import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.List;
import petrichor.frontends.http.Page;
import petrichor.server.logs.RecentLog;

/** Pages for support bundles: the latest log lines and a thread dump. Neither contains entities. */
public final class SupportPages {
    static final String LOG = "/petrichor/v1/support/log";
    static final String THREADS = "/petrichor/v1/support/threads";

    private final RecentLog log;

    public SupportPages(RecentLog log) {
        this.log = log;
    }

    public List<Page> pages() {
        return List.of(
                new Page(
                        "GET",
                        LOG,
                        Page.Access.READ,
                        Page.Lane.HEALTH,
                        _ -> Page.Answer.text(200, String.join("\n", log.lines()) + "\n")),
                new Page(
                        "GET",
                        THREADS,
                        Page.Access.READ,
                        Page.Lane.HEALTH,
                        _ -> Page.Answer.text(200, threads())));
    }

    /** Formats threads like jstack; ThreadInfo's own text is limited to eight frames. */
    private static String threads() {
        StringBuilder out = new StringBuilder();
        for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
            out.append('"').append(thread.getThreadName()).append("\" ");
            out.append(thread.getThreadState());
            LockInfo lock = thread.getLockInfo();
            if (lock != null) {
                out.append(" on ").append(lock);
            }
            out.append('\n');
            for (StackTraceElement frame : thread.getStackTrace()) {
                out.append("    at ").append(frame).append('\n');
            }
            out.append('\n');
        }
        return out.toString();
    }
}
