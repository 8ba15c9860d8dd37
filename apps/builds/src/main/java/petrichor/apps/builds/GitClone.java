package petrichor.apps.builds;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Clones a repository's newest commit with git, without anything that a repository could make git
 * execute: no hooks, submodules, filters or other protocols. Repositories over https are cloned as
 * the user of builds; those over ssh and in files as the server's user, with its keys. Thread-safe.
 */
final class GitClone {
    static final String WORK_TREE = "work";

    private static final Pattern SSH_SHORT =
            Pattern.compile("[A-Za-z0-9._][A-Za-z0-9._-]*@[A-Za-z0-9.][A-Za-z0-9.-]*:[^:].*");
    private static final Pattern BRANCH = Pattern.compile("[A-Za-z0-9._][A-Za-z0-9._/+@-]{0,199}");

    /** The repository's objects, beside its files. */
    private static final int CLONE_BYTES_PER_SOURCE_BYTE = 3;

    private final CommandRunner runner;
    private final Tools tools;
    private final PassedSettings settings;
    private final @Nullable BuildUser user;

    GitClone(CommandRunner runner, Tools tools, PassedSettings settings, @Nullable BuildUser user) {
        this.runner = runner;
        this.tools = tools;
        this.settings = settings;
        this.user = user;
    }

    /** Clones into {@code folder/work}; INVALID_ARGUMENT with git's reason if that fails. */
    void fetch(
            String url,
            @Nullable String branch,
            Path folder,
            SourceLimits limits,
            Cancellation cancellation)
            throws IOException {
        if (branch != null && (!BRANCH.matcher(branch).matches() || branch.contains(".."))) {
            throw PetrichorException.invalid(
                    "\"{branch}\" is not the name of a branch or tag", "branch", branch);
        }
        Address address = address(url);
        BuildUser cloner = address.scheme().equals("https") ? user : null;
        Path git =
                tools.find("git").stream()
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        PetrichorException.of(
                                                ErrorCode.FAILED_PRECONDITION,
                                                "git is not installed: install git, or deploy a"
                                                        + " folder or archive"));
        Path _ = FileTrees.folder(folder, FileTrees.OWNER_ONLY, cloner);
        List<String> line = new ArrayList<>(List.of(git.toString()));
        for (String option :
                List.of(
                        "core.hooksPath=/dev/null",
                        "core.fsmonitor=false",
                        "core.symlinks=true",
                        "core.protectHFS=true",
                        "core.protectNTFS=true",
                        "transfer.fsckObjects=true",
                        "safe.directory=*")) {
            line.addAll(List.of("-c", option));
        }
        line.addAll(List.of("clone", "--quiet", "--depth", "1", "--single-branch", "--no-tags"));
        line.addAll(List.of("--template=", "--no-recurse-submodules"));
        if (branch != null) {
            line.addAll(List.of("--branch", branch));
        }
        line.addAll(List.of("--", address.url(), folder.resolve(WORK_TREE).toString()));
        CommandOutput.Captured output = new CommandOutput.Captured();
        CommandEnd end =
                runner.run(
                        new Command(
                                line,
                                folder,
                                environment(address, folder, cloner),
                                cloner,
                                System.nanoTime() + limits.cloneTime().toNanos(),
                                new Command.DiskBound(
                                        List.of(folder),
                                        CLONE_BYTES_PER_SOURCE_BYTE * limits.bytes())),
                        output,
                        cancellation);
        check(end, output.text(), address, limits);
        FileTrees.delete(folder.resolve(WORK_TREE).resolve(".git"));
    }

    private Map<String, String> environment(
            Address address, Path folder, @Nullable BuildUser cloner) {
        Map<String, String> environment = new TreeMap<>(settings.variables());
        String home = System.getProperty("user.home");
        environment.put("HOME", cloner == null && home != null ? home : folder.toString());
        environment.put("PATH", tools.path());
        environment.put("LC_ALL", "C.UTF-8");
        environment.put("GIT_ALLOW_PROTOCOL", "https:ssh:file");
        environment.put("GIT_CONFIG_NOSYSTEM", "1");
        environment.put("GIT_CONFIG_GLOBAL", "/dev/null");
        environment.put("GIT_TERMINAL_PROMPT", "0");
        environment.put("GIT_LFS_SKIP_SMUDGE", "1");
        environment.put("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oStrictHostKeyChecking=yes");
        if (address.credentials() != null) {
            // Other users can see the arguments of a process, but not its environment.
            environment.put("GIT_CONFIG_COUNT", "1");
            environment.put(
                    "GIT_CONFIG_KEY_0",
                    "url.https://%s@%s/.insteadOf"
                            .formatted(address.credentials(), address.host()));
            environment.put("GIT_CONFIG_VALUE_0", "https://%s/".formatted(address.host()));
        }
        return environment;
    }

    private static void check(CommandEnd end, String output, Address address, SourceLimits limits) {
        switch (end) {
            case CommandEnd.Exited exited -> {
                if (!exited.succeeded()) {
                    throw PetrichorException.invalid(
                            "git could not clone {url}: {reason}",
                            "url",
                            address.url(),
                            "reason",
                            BuildLog.withoutCredentials(
                                    FailureReason.of(
                                            FailureReason.Source.GIT, output.lines().toList())));
                }
            }
            case CommandEnd.TimedOut _ ->
                    throw PetrichorException.invalid(
                            "git did not clone {url} within {seconds} s: deploy a folder or"
                                    + " archive",
                            "url",
                            address.url(),
                            "seconds",
                            limits.cloneTime().toSeconds());
            case CommandEnd.Cancelled _ ->
                    throw PetrichorException.invalid("the clone was cancelled");
            case CommandEnd.OutputTooLong _, CommandEnd.DiskFull _ ->
                    throw PetrichorException.invalid(
                            "the repository {url} is larger than the limit of sources: deploy a"
                                    + " folder or archive with what the app needs",
                            "url",
                            address.url());
        }
    }

    /**
     * @param url without credentials
     */
    private record Address(String scheme, String url, String host, @Nullable String credentials) {}

    private static Address address(String url) {
        if (SSH_SHORT.matcher(url).matches() && !url.contains("://")) {
            return new Address("ssh", url, "", null);
        }
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw unsupported();
        }
        String scheme = uri.getScheme();
        String host = uri.getHost();
        String userInfo = uri.getRawUserInfo();
        if (scheme == null || url.chars().anyMatch(Character::isISOControl)) {
            throw unsupported();
        }
        if (scheme.equals("file")) {
            return new Address("file", url, "", null);
        }
        if (host == null || host.startsWith("-")) {
            throw unsupported();
        }
        if (scheme.equals("ssh") && (userInfo == null || !userInfo.startsWith("-"))) {
            return new Address("ssh", url, host, null);
        }
        if (!scheme.equals("https")) {
            throw unsupported();
        }
        String authority = uri.getPort() < 0 ? host : host + ":" + uri.getPort();
        String plain =
                userInfo == null
                        ? url
                        : "https://" + authority + url.substring(endOfAuthority(url));
        return new Address("https", plain, authority, userInfo);
    }

    private static int endOfAuthority(String url) {
        int slash = url.indexOf('/', "https://".length());
        return slash < 0 ? url.length() : slash;
    }

    private static PetrichorException unsupported() {
        return PetrichorException.invalid(
                "the address of the Git repository is not supported: use https://, ssh:// or"
                        + " file://");
    }
}
