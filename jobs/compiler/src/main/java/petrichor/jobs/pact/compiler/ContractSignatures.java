package petrichor.jobs.pact.compiler;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import petrichor.jobs.jobgraph.SignatureDigest;
import petrichor.jobs.pact.Contract;
import petrichor.jobs.pact.PactNode;

/**
 * Computes the part of a contract that is the same in every run of a program: its kind, its user
 * code, and the signatures of its inputs; without its parallelism, the names of files that sources
 * read or sinks write, or the execution mode. Belongs to one thread.
 */
final class ContractSignatures {
    private final Map<PactNode, String> known = new HashMap<>();

    String of(PactNode node) {
        String found = known.get(node);
        if (found == null) {
            SignatureDigest digest = new SignatureDigest().with(node.contract().displayName());
            parts(node).forEach(digest::with);
            node.inputs().forEach(input -> digest.with(of(input)));
            found = digest.digits();
            known.put(node, found);
        }
        return found;
    }

    private static List<Object> parts(PactNode node) {
        return switch (node.contract()) {
            case Contract.Input(var source) -> List.of(source.getClass().getName(), source.type());
            case Contract.Kept _ -> List.of(node.type());
            case Contract.Map(var code, var _) -> List.of(code);
            case Contract.Reduce(var _, var order, var code, var _) -> List.of(order, code);
            case Contract.Aggregated(var aggregation) -> List.of(aggregation);
            case Contract.Match(var first, var second, var code) -> List.of(first, second, code);
            case Contract.Cross(var code) -> List.of(code);
            case Contract.CoGroup(var first, var second, var code) -> List.of(first, second, code);
            case Contract.Union(var inputs) -> List.of(inputs);
            case Contract.Ordered(var key) -> List.of(key);
            case Contract.First(var records, var _) -> List.of(records);
            case Contract.Output(var sink) -> List.of(sink.getClass().getName());
        };
    }
}
