"""The commands on sources, for operators. They may know the registry, mining, proving and sealing."""
