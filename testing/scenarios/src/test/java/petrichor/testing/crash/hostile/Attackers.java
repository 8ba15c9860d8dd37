package petrichor.testing.crash.hostile;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Threads that repeat attacks. Records which attacks were carried out, and those that failed
 * unexpectedly or succeeded. Thread-safe.
 */
final class Attackers {
    private final Target target;
    private final Set<String> attacked = ConcurrentHashMap.newKeySet();
    private final List<String> failures = new CopyOnWriteArrayList<>();

    Attackers(Target target) {
        this.target = target;
    }

    Thread start(Attack attack, long end) {
        return Thread.ofPlatform().name(attack.name()).start(() -> repeat(attack, end));
    }

    private void repeat(Attack attack, long end) {
        while (System.nanoTime() < end) {
            try {
                attack.strike(target);
                attacked.add(attack.name());
            } catch (IOException closed) {
                attacked.add(attack.name()); // a refusal is an acceptable answer
            } catch (InterruptedException interrupted) {
                return;
            } catch (Exception | AssertionError unexpected) {
                failures.add(attack.name() + ": " + unexpected);
                return;
            }
        }
    }

    /** Names of the attacks that ran to their end or were refused at least once. */
    Set<String> attacked() {
        return attacked;
    }

    List<String> failures() {
        return failures;
    }
}
