"""What operators run: the commands on sources. They may know the registry, mining, proving and sealing."""
