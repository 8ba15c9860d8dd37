package petrichor.kv.redis;

import io.lettuce.core.ScriptOutputType;
import java.util.List;
import petrichor.base.PetrichorException;

/**
 * Runs scripts by their digests. They are loaded on each new connection; if the server has lost
 * them since, they are loaded again: the failed call had no effect.
 */
record Scripts(CheckedConnection connection) {

    Reply<Long> run(Script script, byte[][] keys, byte[]... arguments) {
        Reply<Long> reply =
                connection.ask(
                        server ->
                                server.evalsha(
                                        script.digest(),
                                        ScriptOutputType.INTEGER,
                                        keys,
                                        arguments));
        if (isForgotten(reply)) {
            return connection.askAgain(
                    server ->
                            server.eval(script.text(), ScriptOutputType.INTEGER, keys, arguments));
        }
        return reply;
    }

    /** For scripts that only read, and return a list. */
    CheckedConnection.Question<List<Object>> askAhead(
            Script script, byte[][] keys, byte[]... arguments) {
        CheckedConnection.Question<List<Object>> question =
                connection.askAhead(
                        server ->
                                server.evalsha(
                                        script.digest(), ScriptOutputType.MULTI, keys, arguments));
        return () -> {
            Reply<List<Object>> reply = question.answer();
            if (isForgotten(reply)) {
                return connection.askAgain(
                        server ->
                                server.eval(
                                        script.text(), ScriptOutputType.MULTI, keys, arguments));
            }
            return reply;
        };
    }

    private static boolean isForgotten(Reply<?> reply) {
        return reply instanceof Reply.Refused<?>(PetrichorException why)
                && RedisFailures.isUnknownScript(why);
    }
}
